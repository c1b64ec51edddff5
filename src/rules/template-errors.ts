/** The refusals about saved templates and snippets; a part of `ERRORS`. */
export const TEMPLATE_ERRORS = {
  template_unfit: { status: 400, message: '{field} does not fit {platform}. {detail}' },
  template_not_found: { status: 404, message: 'This brand has no template {id}, or it is archived.' },
  snippet_not_found: { status: 404, message: 'This brand has no snippet with that name.' },
  version_stale: {
    status: 409,
    message: 'The newest version is {version}, and you changed version {given}. Read the newest first.',
  },
  template_limit: { status: 409, message: 'There may be at most {max} {what}. {remedy}' },
  snippet_exists: {
    status: 409,
    message: 'This brand already has a snippet of this name. Change it with PATCH.',
  },
  snippet_in_use: { status: 409, message: 'This snippet is rendered by {users}. Change that first.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>
