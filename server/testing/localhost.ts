import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (name: string) => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8')

/** A certificate of `localhost` that nobody but the tests believes, and its key. */
export const LOCALHOST = { cert: read('localhost.cert.pem'), key: read('localhost.key.pem') } as const
