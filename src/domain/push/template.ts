import {
  Context,
  type Emitter,
  filters,
  Liquid,
  LiquidError,
  type Template as Part,
  TagToken,
  toValueSync,
} from 'liquidjs'
import { SNIPPET_TAG, TEMPLATE_FILTERS, TEMPLATE_LIMITS, TEMPLATE_TAGS } from '../../rules/templates.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { encodeJson } from '../values/json.ts'
import { isLonger } from '../values/text.ts'

/** The values that a template may use. `now` is in epoch milliseconds; templates get it in seconds, as in Liquid. */
export type TemplateScope = {
  readonly user: Readonly<Record<string, unknown>>
  readonly subscription: Readonly<Record<string, unknown>>
  readonly event?: Readonly<Record<string, unknown>>
  readonly now: number
}

/**
 * A compiled text. Rendering gives null when it takes too much work, or when a filter gets a value that it does not
 * take; `isTooCostly` is true in the first case only.
 */
export type Template = {
  readonly render: (scope: TemplateScope) => string | null
  readonly isTooCostly: (scope: TemplateScope) => boolean
}

export function compileTemplate(field: string, text: string): Result<Template> {
  if (!isTemplate(text)) return accept({ render: () => text, isTooCostly: () => false })
  if (isLonger(text, TEMPLATE_LIMITS.charsMax)) {
    const detail = `a template may have at most ${TEMPLATE_LIMITS.charsMax} characters`
    return reject(fault('template_invalid', field, { line: 1, column: 1, detail }))
  }
  // A parser that meets a mistake throws; here the mistake is the caller's, so it becomes a rejection.
  try {
    const parts = ENGINE.parse(text)
    return accept({
      render: (scope) => renderParts(parts, scope).text,
      isTooCostly: (scope) => renderParts(parts, scope).isTooCostly,
    })
  } catch (error) {
    return reject(fault('template_invalid', field, placeOf(error)))
  }
}

/**
 * The place of the first of these checked texts that takes too much work together with the texts before it; null when
 * `workMax` is enough for all.
 */
export function costlyTextAmong(
  texts: readonly string[],
  { now, ...names }: TemplateScope,
  workMax: number,
): number | null {
  const scope = { ...names, now: now / 1000 }
  const context = new Context(scope, ENGINE.options, { sync: true, memoryLimit: workMax }, { liquid: ENGINE })
  const place = texts.findIndex((text) => {
    // The limits are shared by all texts; everything else of the context is each text's own.
    const { isTooCostly } = isTemplate(text) ? renderIn(ENGINE.parse(text), context.spawn(scope)) : CHEAP
    return isTooCostly
  })
  return place === -1 ? null : place
}

const CHEAP = { isTooCostly: false } as const

/** Whether a text holds Liquid at all. Most do not, and are sent as they are. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%')
}

/** The names that a checked text takes from its scope, each as a path: `user.name` is ['user', 'name']. */
export function variablesIn(text: string): readonly (readonly string[])[] {
  if (!isTemplate(text)) return []
  return ENGINE.globalVariableSegmentsSync(ENGINE.parse(text)).map((path) =>
    path.filter((part) => typeof part === 'string'),
  )
}

/** A tag that renders a snippet, and where it stands in its text. */
export type SnippetTag = {
  readonly name: string
  readonly begin: number
  readonly end: number
  readonly trimsLeft: boolean
  readonly trimsRight: boolean
  readonly line: number
  readonly column: number
}

/**
 * The tags that render snippets, in the order of the text. Those in `raw` and in comments are no tags. A text that is
 * longer than a template may be is not read, because it is refused anyway.
 */
export function snippetTagsIn(field: string, text: string): Result<readonly SnippetTag[]> {
  if (!MAY_RENDER.test(text) || isLonger(text, TEMPLATE_LIMITS.charsMax)) return accept([])
  // As in `compileTemplate`, a mistake of the caller.
  try {
    const tags = tagsIn(SNIPPET_ENGINE.parse(text)).map(snippetTagOf)
    return accept(tags.toSorted((a, b) => a.begin - b.begin))
  } catch (error) {
    return reject(fault('template_invalid', field, placeOf(error)))
  }
}

const MAY_RENDER = new RegExp(`\\{%-?\\s*${SNIPPET_TAG}\\b`, 'u')
/** One name in quotes. A snippet sees the names of the text around it, so that it needs no arguments. */
const SNIPPET_ARGS = /^\s*(?:"([^"]*)"|'([^']*)')\s*$/u

function tagsIn(parts: readonly Part[]): readonly TagToken[] {
  return parts.flatMap((part) => {
    const { token } = part
    if (token instanceof TagToken && token.name === SNIPPET_TAG) return [token]
    return part.children === undefined ? [] : tagsIn(toValueSync(part.children(false, true)))
  })
}

function snippetTagOf(token: TagToken): SnippetTag {
  const [, double, single] = SNIPPET_ARGS.exec(token.args) ?? []
  const [line = 1, column = 1] = token.getPosition()
  const { begin, end, trimLeft, trimRight } = token
  return {
    name: double ?? single ?? '',
    begin,
    end,
    trimsLeft: trimLeft,
    trimsRight: trimRight,
    line,
    column,
  }
}

const ENGINE = boundedEngine()
const SNIPPET_ENGINE = snippetEngine()

/** An engine that reads texts with snippets in them. It renders nothing: snippets are put in before. */
function snippetEngine(): Liquid {
  const engine = boundedEngine()
  engine.registerTag(SNIPPET_TAG, {
    parse: ({ args }) => {
      if (SNIPPET_ARGS.test(args)) return
      throw new Error(`${SNIPPET_TAG} takes the name of a snippet in quotes, and nothing else`)
    },
    render: () => '',
  })
  return engine
}

function boundedEngine(): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    templates: {},
    timezoneOffset: 0,
    locale: 'en-US',
    memoryLimit: TEMPLATE_LIMITS.workMax,
    renderLimit: TEMPLATE_LIMITS.renderMsMax,
  })
  const tags = new Set<string>(TEMPLATE_TAGS)
  for (const name of Object.keys(engine.tags)) if (!tags.has(name)) delete engine.tags[name]
  const allowed = new Set<string>(TEMPLATE_FILTERS)
  for (const name of Object.keys(engine.filters)) if (!allowed.has(name)) engine.unregisterFilter(name)
  bindNow(engine)
  chargeWork(engine)
  return engine
}

/** `"now" | date` reads the clock in Liquid; here it reads the `now` that the rendering was given. */
function bindNow(engine: Liquid): void {
  const { date } = filters
  if (typeof date !== 'function') throw new Error('liquidjs no longer has its date filter')
  engine.registerFilter('date', function (value: unknown, ...rest: readonly unknown[]): unknown {
    const given = value === 'now' || value === 'today' ? this.context.getSync(['now']) : value
    return date.call(this, given, ...rest)
  })
}

/**
 * Liquid counts what its filters build, but neither the turns of a loop nor the text written, so that nested loops
 * or a doubling `capture` could run away. Every turn passes here, and every text goes through one of our emitters.
 */
function chargeWork({ renderer }: Liquid): void {
  const render = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (parts: Part[], context: Context, emitter?: Emitter) => {
    context.memoryLimit.use(1 + parts.length)
    return render(parts, context, emitter ?? chargedEmitter(context))
  }
}

function chargedEmitter(context: Context): Emitter {
  const emitter = {
    buffer: '',
    write(value: unknown) {
      const text = textOf(value)
      context.memoryLimit.use(text.length)
      emitter.buffer += text
    },
  }
  return emitter
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return Array.isArray(value) ? value.map(textOf).join('') : encodeJson(value)
}

function renderParts(parts: Part[], { now, ...names }: TemplateScope) {
  return renderIn(parts, { ...names, now: now / 1000 })
}

function renderIn(parts: Part[], scope: object) {
  // The text of this one person takes too much work, or a filter gets a value that it does not take.
  try {
    const text = String(ENGINE.renderSync(parts, scope))
    return { text, isTooCostly: false }
  } catch (error) {
    return { text: null, isTooCostly: error instanceof Error && LIMIT_REACHED.test(error.message) }
  }
}

/** Liquid marks a reached limit by its message, not by a class of errors. */
const LIMIT_REACHED = /limit exceeded/u

function placeOf(error: unknown): {
  readonly line: number
  readonly column: number
  readonly detail: string
} {
  if (!LiquidError.is(error)) throw new Error('the template engine failed', { cause: error })
  const [line = 1, column = 1] = error.token.getPosition()
  const detail = error.message.replace(/(?:, file:.*)?, line:\d+, col:\d+$/u, '')
  return { line, column, detail }
}
