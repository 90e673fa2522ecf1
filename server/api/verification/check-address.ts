import type { OptionValues } from '#contract/options/system-options.ts'
import { refuse } from './refuse.ts'

/** Refuses addresses that the options do not let in. `address` is in lower case. */
export function checkAddress(address: string, values: OptionValues): void {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  const domains = values.EmailDomainWhitelist.map(name => name.toLowerCase())
  if (values.EmailDomainRestrictionEnabled && !domains.includes(domain)) throw refuse('domain')
  if (values.EmailAliasRestrictionEnabled && /[+.]/.test(local)) throw refuse('alias')
}
