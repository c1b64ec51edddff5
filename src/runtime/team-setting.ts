import type { ParseSetting } from './setting.ts'
import type { Read } from './setting-row.ts'

/** The settings of the sign-in of members. */
export function teamSettings(read: Read) {
  return {
    publicUrl: read<string | null>({
      name: 'BECKON_PUBLIC_URL',
      parse: origin(),
      default: null,
      unset: 'this machine, `http://localhost:PORT`',
      meaning:
        'The address at which members open Beckon, such as https://beckon.example.com: for the links of invitations, for passkeys, and for the check that a request comes from a page of Beckon. With https the cookies are Secure.',
    }),
  }
}

/** An address without a path, as browsers send it in Origin. */
function origin(): ParseSetting<string> {
  return (given) => {
    const url = URL.parse(given)
    const isPlain = url !== null && [url.origin, `${url.origin}/`].includes(given)
    if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:'))
      return { ok: true, value: url.origin }
    return { ok: false, expected: 'an address such as https://beckon.example.com, without a path' }
  }
}
