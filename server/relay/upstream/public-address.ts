import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** All that is given out as public in IPv6. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Written like public ones, and yet of the cloud around a machine: Azure answers its own machines there. */
const OF_CLOUDS: ReadonlySet<string> = new Set(['168.63.129.16'])
/** What follows is an IPv4 address, whatever network stands before. ISATAP, RFC 5214 section 6.1. */
const ISATAP = /^(?:[\da-f]+:){4}(?:0|200):5efe:/
/** Documentation, RFC 9637. */
const DOCUMENTATION_IPV6 = ipaddr.IPv6.parseCIDR('3fff::/20')

/**
 * Whether an address (no name) is one of the open internet: no private, local, shared, reserved or documentation
 * range of either family, none of a cloud's own, and no IPv6 form that carries an IPv4 address inside.
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text)
  if (address?.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !OF_CLOUDS.has(address.toString())
  return (
    address.match(GLOBAL_IPV6) &&
    !address.match(DOCUMENTATION_IPV6) &&
    !ISATAP.test(address.toNormalizedString())
  )
}

/** Whether an address is among the given addresses and ranges. */
export function isWithin(text: string, ranges: readonly string[]): boolean {
  const address = parse(text)
  return address !== undefined && ranges.some(range => holds(range, address))
}

const parse = (text: string): Address | undefined =>
  ipaddr.isValid(text) && !text.includes('%') ? ipaddr.parse(text) : undefined

function holds(range: string, address: Address): boolean {
  const single = ipaddr.isValid(range) ? ipaddr.parse(range) : undefined
  if (single) return single.toNormalizedString() === address.toNormalizedString()
  const [base, bits] = ipaddr.parseCIDR(range)
  return base.kind() === address.kind() && address.match([base, bits])
}
