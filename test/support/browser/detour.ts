/**
 * Loaded before everything else into the Beckon of a test (`--import`, with the way in its own address): a host of
 * somebody else's is found on this machine. Beckon itself has no such switch, and its address guard still looks at
 * what it gets.
 */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import tls from 'node:tls'

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

const { searchParams } = new URL(import.meta.url)
const host = searchParams.get('host')
const port = Number(searchParams.get('port'))
const { lookup } = dns
const { connect } = tls

Object.assign(dns, {
  lookup: (name: string, options: LookupOptions & { readonly all: true }, done: Found) =>
    name === host ? done(null, [{ address: '127.0.0.1', family: 4 }]) : lookup(name, options, done),
})
Object.assign(tls, {
  connect: (options: tls.ConnectionOptions) =>
    connect(options.host === host ? { ...options, port } : options),
})
syncBuiltinESMExports()
