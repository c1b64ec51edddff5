import { setGlobalProxyFromEnv } from 'node:http'
import type { HttpsProxy } from './outgoing-setting.ts'

/**
 * Leads the `fetch` of this process to https addresses through the proxy. The sign-in library calls the identity provider
 * with it and takes no other. This machine is reached directly: the sandbox is here.
 */
export function proxyFetch(proxy: HttpsProxy): void {
  setGlobalProxyFromEnv({ https_proxy: proxyUrl(proxy), no_proxy: 'localhost,127.0.0.1,[::1]' })
}

function proxyUrl({ host, port, authorization }: HttpsProxy): string {
  const [user = '', ...password] = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64')
    .toString()
    .split(':')
  const access = authorization === null ? '' : `${encode(user)}:${encode(password.join(':'))}@`
  return `http://${access}${host.includes(':') ? `[${host}]` : host}:${port}`
}

const encode = encodeURIComponent
