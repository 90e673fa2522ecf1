/** Where the key of a channel is sent. A stored key stays bound to the destination that it was entered for. */
export interface KeyDestination {
  /** Type number of the provider. */
  readonly type: number
  /** Scheme, host and port; empty where the provider alone decides on the host, as with regions. */
  readonly origin: string
  /** The proxy in between; empty for none. It can read what is sent to an address without TLS. */
  readonly proxy: string
}

interface KeyAddresses {
  readonly type: number
  readonly baseUrl: string
  /** The provider's own base URL, which counts when `baseUrl` is empty. */
  readonly defaultBaseUrl: string
  readonly proxy: string
}

export const keyDestination = ({ type, baseUrl, defaultBaseUrl, proxy }: KeyAddresses): KeyDestination => ({
  type,
  origin: toOrigin(baseUrl || defaultBaseUrl),
  proxy: toOrigin(proxy),
})

/** Unlike `URL.origin`, also works for the schemes of proxies. It leaves out user names and passwords. */
function toOrigin(address: string): string {
  if (!URL.canParse(address)) return address
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/** Whether a key that was entered for `from` may be sent to `to`. Leaving out the proxy is safe: the origin is the same. */
export const isKeyBoundTo = (from: KeyDestination, to: KeyDestination): boolean =>
  from.type === to.type && from.origin === to.origin && (to.proxy === '' || to.proxy === from.proxy)
