import { sha256 } from '../../core/crypto.ts'

/** Which names or ids a provider accepts. */
export interface NameRule {
  /** Global: the characters that it rejects. It takes all by default. */
  readonly illegal?: RegExp
  readonly lengthMax: number
  /** 1 by default. */
  readonly lengthMin?: number
  /** It rejects a digit or a dash at the beginning. */
  readonly beginsWithLetter?: true
}

const HASH_CHARS = 8
/** Shorter names leave no room for more than a hash. */
const READABLE_MIN = 16

/**
 * A name that the rule accepts: the same for the same name in every turn, and another one for every other name. Legal names
 * stay unchanged.
 */
export function toLegalName(name: string, rule: NameRule): string {
  const { illegal, lengthMax, lengthMin = 1, beginsWithLetter } = rule
  const spelled = illegal ? name.replace(illegal, '_') : name
  const opened = beginsWithLetter && /^[^a-z_]/i.test(spelled) ? `_${spelled}` : spelled
  if (opened === name && name.length <= lengthMax && name.length >= lengthMin) return name
  const hash = sha256(name)
  return lengthMax < READABLE_MIN
    ? hash.slice(0, lengthMax)
    : `${opened.slice(0, lengthMax - HASH_CHARS - 1)}_${hash.slice(0, HASH_CHARS)}`
}
