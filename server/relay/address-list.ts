import ipaddr from 'ipaddr.js'

/**
 * Whether a token's list (one address or range per line) lets an address in. An empty list lets everybody in;
 * a list whose lines are all unreadable lets nobody in.
 */
export function isAddressAllowed(list: string, address: string): boolean {
  if (!list) return true
  const lines = list
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  if (lines.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  const own = ipaddr.process(address)
  return lines.some(line => matches(own, line))
}

function matches(own: ipaddr.IPv4 | ipaddr.IPv6, line: string): boolean {
  if (ipaddr.isValidCIDR(line)) {
    const [range, bits] = ipaddr.parseCIDR(line)
    return range.kind() === own.kind() && own.match([range, bits])
  }
  return ipaddr.isValid(line) && ipaddr.process(line).toNormalizedString() === own.toNormalizedString()
}
