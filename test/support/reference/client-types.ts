import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { encodeJson } from '../../../src/domain/values/json.ts'
import { buildOpenApi } from '../../../src/http/reference/openapi.ts'
import { ENDPOINTS } from '../../../src/http/routes.ts'
import { commentOf, type Schema, typeOf } from './schema-type.ts'
import { type Shared, shareAcross, shareTypes } from './shared-types.ts'

const HOME = join(import.meta.dirname, '../../..')
const HEADER = '// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.\n'

/** The types of `beckon/client` as files by name, one for each group of endpoints, made from the document alone. */
export function clientTypes(): ReadonlyMap<string, string> {
  const document: Document = JSON.parse(encodeJson(buildOpenApi(ENDPOINTS)))
  const groups = Map.groupBy(operationsOf(document), ({ group }) => group)
  const common = shareAcross([...groups.values()].map((operations) => operations.flatMap(schemasOf)))
  const files = new Map<string, string>([
    ['envelope.ts', componentsFile(document, ENVELOPE)],
    ['documents.ts', componentsFile(document, documentNames(document))],
    ['common.ts', withImports(typesFile(common), [], documentNames(document))],
    ['endpoints.ts', endpointsFile([...groups.keys()], operationsOf(document))],
  ])
  for (const [group, operations] of groups)
    files.set(fileName(group), groupFile(document, operations, common))
  return new Map([...files].map(([name, text]) => [name, format(HEADER + text)]))
}

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

type DocumentedOperation = {
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content: Content }>>
}

type Parameter = {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>
type Operation = DocumentedOperation & { readonly endpoint: string; readonly group: string }

function operationsOf({ paths }: Document): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      endpoint: `${method.toUpperCase()} ${path}`,
      group: operation.tags[0] ?? '',
    })),
  )
}

const ENVELOPE = ['Success', 'Failure']

/** The documents that callers write, such as the filter of a segment. */
function documentNames({ components }: Document): readonly string[] {
  return Object.keys(components.schemas).filter((name) => !ENVELOPE.includes(name))
}

function componentsFile({ components }: Document, names: readonly string[]): string {
  const types = Object.entries(components.schemas)
    .filter(([name]) => names.includes(name))
    .map(([name, schema]) => `${commentOf(schema.description)}export type ${name} = ${typeOf(schema)}`)
  return withImports(types.join('\n\n'), names)
}

/** What several groups of endpoints speak of. */
function typesFile({ types }: Shared): string {
  return [...types].map(([name, schema]) => `export type ${name} = ${typeOf(schema)}\n\n`).join('')
}

function groupFile(document: Document, operations: readonly Operation[], common: Shared): string {
  const group = operations[0]?.group ?? ''
  const own = shareTypes(operations.flatMap(schemasOf), common)
  const shared = { ...own, refer: (schema: Schema) => own.refer(common.refer(schema)) }
  const rows = operations.map(
    (operation) =>
      `${commentOf(operation.summary)}readonly ${JSON.stringify(operation.endpoint)}: ${operationType(operation, shared)}`,
  )
  const body = `${typesFile(own)}export type ${typeName(group)} = {\n${rows.join('\n')}\n}`
  const imports = [
    ...importOf([...common.types.keys()], body, './common.ts'),
    ...importOf(['Success'], body, './envelope.ts'),
  ]
  return [...imports, withImports(body, [], documentNames(document))].join('\n\n')
}

/** A file with the imports of any JSON and of the documents that it names; its own types are not imported. */
function withImports(body: string, own: readonly string[], documents: readonly string[] = []): string {
  const others = documents.filter((name) => !own.includes(name))
  const imports = [...importOf(others, body, './documents.ts'), ...importOf(['Json'], body, '../json.ts')]
  return [...imports, body].join('\n\n')
}

/** An import of those names that the text uses. */
function importOf(names: readonly string[], text: string, from: string): readonly string[] {
  const code = text.replaceAll(/\/\*\*.*?\*\/|"[^"]*"/g, '')
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(code))
  return used.length === 0 ? [] : [`import type { ${used.join(', ')} } from '${from}'`]
}

function schemasOf(operation: Operation): readonly Schema[] {
  return [jsonBody(operation), jsonReply(operation)].filter((schema) => schema !== undefined)
}

function operationType(operation: Operation, shared: Shared): string {
  return typeOf({
    type: 'object',
    properties: { ...parametersOf(operation, 'path'), ...parametersOf(operation, 'query') },
    required: operation.parameters.filter(({ required }) => required).map((parameter) => parameter.in),
  })
    .replace(/^Readonly<.*$/, '{\n}')
    .replace(/\n\}$/, `\n${bodyFields(operation, shared)}readonly reply: ${replyType(operation, shared)}\n}`)
}

function parametersOf({ parameters }: Operation, place: string): Readonly<Record<string, Schema>> {
  const found = parameters.filter((parameter) => parameter.in === place)
  if (found.length === 0) return {}
  const properties = Object.fromEntries(found.map(({ name, schema }) => [name, schema]))
  const required = found.filter((parameter) => parameter.required).map(({ name }) => name)
  return { [place]: { type: 'object', properties, required } }
}

/** What is streamed goes as it is, under the name of what it is. */
function bodyFields(operation: Operation, { refer }: Shared): string {
  const { requestBody } = operation
  if (requestBody === undefined) return ''
  const json = jsonBody(operation)
  if (json !== undefined) return `readonly body: ${typeOf(refer(json))}\n`
  const types = Object.keys(requestBody.content).map((type) => JSON.stringify(type))
  return `readonly bodyType: ${types.join(' | ')}\nreadonly body: string | Uint8Array | ReadableStream<Uint8Array>\n`
}

function replyType(operation: Operation, { refer }: Shared): string {
  const json = jsonReply(operation)
  return json === undefined ? 'Response' : typeOf(refer(json))
}

function jsonBody({ requestBody }: Operation): Schema | undefined {
  const json = requestBody?.content['application/json']
  return json && (json.schema ?? {})
}

function jsonReply({ responses }: Operation): Schema | undefined {
  return responses['200']?.content['application/json']?.schema
}

/** What the client must know at run time: where a key guards a second try, and what is no JSON. */
function endpointsFile(groups: readonly string[], operations: readonly Operation[]): string {
  const imports = groups.map((group) => `import type { ${typeName(group)} } from './${fileName(group)}'`)
  const guarded = operations.filter(({ parameters }) =>
    parameters.some(({ $ref }) => $ref?.endsWith('IdempotencyKey')),
  )
  const streamed = operations.filter((operation) => jsonReply(operation) === undefined)
  return `${imports.join('\n')}

/** Every endpoint of Beckon: what it takes, and what it replies when it succeeds. */
export type Api = ${groups.map(typeName).join(' & ')}

/** They take an Idempotency-Key, so trying again is safe whatever became of the first try. */
export const GUARDED: ReadonlySet<string> = new Set(${JSON.stringify(guarded.map(({ endpoint }) => endpoint))})

/** Their reply is handed over as it comes. */
export const STREAMED: ReadonlySet<string> = new Set(${JSON.stringify(streamed.map(({ endpoint }) => endpoint))})
`
}

function fileName(group: string): string {
  return `${group.toLowerCase().replaceAll(' ', '-')}.ts`
}

/** `Virtual devices` is `VirtualDevicesApi`. */
function typeName(group: string): string {
  const words = group.split(' ').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${words.join('')}Api`
}

/** In the house's format, as it would be written by hand. */
function format(text: string): string {
  const biome = join(HOME, 'node_modules', '.bin', 'biome')
  const { status, stdout, stderr } = spawnSync(
    biome,
    ['check', '--write', '--stdin-file-path=web/client/api/x.ts'],
    {
      cwd: HOME,
      input: text,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(stderr)
  return stdout
}
