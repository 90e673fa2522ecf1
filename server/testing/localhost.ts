import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (name: string) => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8')

/** A self-signed certificate for `localhost` and its key. */
export const LOCALHOST = { cert: read('localhost.cert.pem'), key: read('localhost.key.pem') } as const
