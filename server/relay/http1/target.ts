import { remembered } from '../../core/remembered.ts'

/** Where a request goes, and what it asks for there. */
export interface Destination {
  /** Scheme, host and port: connections to the same are alike. */
  readonly origin: string
  readonly isSecure: boolean
  /** A name or an address, without the brackets of IPv6. */
  readonly hostname: string
  readonly port: number
  /** As the header says it. */
  readonly host: string
  /** Path and query. */
  readonly target: string
  /** What the user name and password in the address mean; undefined without them. */
  readonly authorization: string | undefined
}

const REMEMBERED_MAX = 1_000
const BRACKETS = /^\[|\]$/g
const SECURE_PORT = 443
const PLAIN_PORT = 80

/** Reads an address of http or https. Throws TypeError for what is none. Most requests go where others went before. */
export const readDestination = remembered(readUrl, REMEMBERED_MAX)

function readUrl(text: string): Destination {
  const url = new URL(text)
  const { origin, protocol, hostname, port, host, pathname, search } = url
  const isSecure = protocol === 'https:'
  return {
    origin,
    isSecure,
    hostname: hostname.replaceAll(BRACKETS, ''),
    port: Number(port) || (isSecure ? SECURE_PORT : PLAIN_PORT),
    host,
    target: `${pathname}${search}`,
    authorization: authorizationOf(url),
  }
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
