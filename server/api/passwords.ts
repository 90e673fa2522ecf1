/** OWASP's least for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes. The runtime's own 64 MiB would be the peak of the whole gateway's memory. */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, ARGON2ID)

const HASH_OF_NOTHING = Bun.password.hashSync(crypto.randomUUID(), ARGON2ID)

/**
 * Whether the password belongs to the hash: argon2id, or the bcrypt of an imported account.
 * An empty hash costs as much time as a real one, so that the answer's time does not tell which accounts exist.
 */
export async function isPasswordRight(password: string, hash: string): Promise<boolean> {
  const isRight = await Bun.password.verify(password, hash || HASH_OF_NOTHING)
  return isRight && hash !== ''
}
