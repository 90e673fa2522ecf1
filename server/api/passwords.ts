/** argon2id with the runtime's own parameters. */
export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password)

const HASH_OF_NOTHING = Bun.password.hashSync(crypto.randomUUID())

/**
 * Whether the password belongs to the hash: argon2id, or the bcrypt of an imported account.
 * An empty hash costs as much time as a real one, so that the answer's time does not tell which accounts exist.
 */
export async function isPasswordRight(password: string, hash: string): Promise<boolean> {
  const isRight = await Bun.password.verify(password, hash || HASH_OF_NOTHING)
  return isRight && hash !== ''
}
