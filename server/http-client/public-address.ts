import ipaddr from 'ipaddr.js'

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** The whole public address space of IPv6. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Public by range, but served inside a cloud: Azure's virtual machines reach platform services there. */
const CLOUD_INTERNAL_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])
/** Carries an IPv4 address in any network. ISATAP, RFC 5214 section 6.1. */
const ISATAP = /^(?:[\da-f]+:){4}(?:0|200):5efe:/

/**
 * Whether an IP address is on the public internet. Rejects private, local, shared, reserved and documentation ranges of
 * both families, cloud-internal addresses, and IPv6 addresses that embed an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text)
  if (address?.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !CLOUD_INTERNAL_ADDRESSES.has(address.toString())
  return address.match(GLOBAL_IPV6) && !ISATAP.test(address.toNormalizedString())
}

/** Whether an IP address is one of the given addresses or inside one of the given ranges. */
export function isWithin(text: string, ranges: readonly string[]): boolean {
  const address = parse(text)
  return address !== undefined && ranges.some(range => contains(range, address))
}

const parse = (text: string): IpAddress | undefined =>
  ipaddr.isValid(text) && !text.includes('%') ? ipaddr.parse(text) : undefined

function contains(range: string, address: IpAddress): boolean {
  const single = ipaddr.isValid(range) ? ipaddr.parse(range) : undefined
  if (single) return single.toNormalizedString() === address.toNormalizedString()
  const [base, bits] = ipaddr.parseCIDR(range)
  return base.kind() === address.kind() && address.match([base, bits])
}
