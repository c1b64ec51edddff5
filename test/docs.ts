/** `npm run docs`: writes the pages, and the types of the client, that test/tidy holds to the code. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeSettings } from '../src/config.ts'
import { ERRORS } from '../src/rules/errors.ts'
import { clientTypes } from './support/reference/client-types.ts'
import { renderMetricsPage } from './support/reference/metrics-page.ts'
import { renderRoles } from './support/reference/roles-page.ts'
import { renderSettings } from './support/reference/settings-page.ts'

const docs = join(import.meta.dirname, '..', 'docs')

writeFileSync(join(docs, 'errors.md'), errorsPage())
writeFileSync(join(docs, 'settings.md'), renderSettings(describeSettings()))
writeFileSync(join(docs, 'roles.md'), renderRoles())
writeFileSync(join(docs, 'metrics.md'), renderMetricsPage())

const api = join(import.meta.dirname, '..', 'web', 'client', 'api')
rmSync(api, { recursive: true, force: true })
mkdirSync(api, { recursive: true })
for (const [name, text] of clientTypes()) writeFileSync(join(api, name), text)

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`,
  )
  return `# Errors

Every refusal has the same shape. \`code\` is stable: write your program against it, not against the sentence.

\`\`\`json
{
  "message": "title is required.",
  "processed": 0,
  "status_code": "400",
  "code": "field_missing",
  "errors": [{ "field": "title", "code": "field_missing", "message": "title is required." }],
  "request_id": "..."
}
\`\`\`

\`errors\` lists everything that was found; \`code\` and the HTTP status are those of the first. Words in braces are filled
in. Quote the \`request_id\` (also in the header \`x-request-id\`) when you ask for help: the line
of the request in the log has it (level info, unless \`BECKON_REQUEST_LOG\` is off).

| code | status | message |
|---|---|---|
${rows.join('\n')}
`
}
