/**
 * Which hosts turn a credential away, for a platform with many of them. One push service that refuses says little about
 * the others, so only that host is left alone, after a row of refusals; when every host refuses, it is the credential.
 */
export class Refusals {
  /** How often in a row, by credential and host; 0 for a host that accepts. */
  readonly #rows = new Map<string, Map<string, number>>()

  /** True when that host has refused so often that it is to be left alone for a while. */
  refuse(credential: string, host: string): boolean {
    const hosts = this.#hostsOf(credential)
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
    return this.isRefused(credential, host)
  }

  isRefused(credential: string, host: string): boolean {
    return (this.#hostsOf(credential).get(host) ?? 0) >= REFUSALS_IN_A_ROW
  }

  accept(credential: string, host: string): void {
    this.#hostsOf(credential).set(host, 0)
  }

  /** Nobody accepts, of those that were asked. */
  isRefusedByAll(credential: string): boolean {
    const rows = [...this.#hostsOf(credential).values()]
    return rows.length > 0 && rows.every((row) => row >= REFUSALS_IN_A_ROW)
  }

  #hostsOf(credential: string): Map<string, number> {
    const known = this.#rows.get(credential)
    if (known !== undefined && known.size < HOSTS_MAX) return known
    if (this.#rows.size >= CREDENTIALS_MAX) this.#rows.clear()
    const fresh = new Map<string, number>()
    this.#rows.set(credential, fresh)
    return fresh
  }
}

const REFUSALS_IN_A_ROW = 3
const HOSTS_MAX = 1_000
const CREDENTIALS_MAX = 10_000
