import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createSecrets, hashImportedKey, sha256, TOKEN_KEY_PURPOSE } from '../../core/crypto.ts'
import { noopLogger } from '../../core/logger.ts'
import type { Database } from '../../db/engine/database.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { type CallerLookup, createCallerLookup } from './authenticate.ts'

/** Below the step in which larger sets are divided. */
const CALLERS = 8
const FOREVER = 9e9
const secrets = createSecrets('the secret key of the tests')

let relay: TestRelay
let lookup: CallerLookup
let queries: number
beforeEach(async () => {
  relay = await TestRelay.open()
  queries = 0
  lookup = createCallerLookup({ db: countingQueries(relay.db), log: noopLogger, secrets })
})
afterEach(() => relay.close())

/** The same database; each statement counts. */
const countingQueries = (db: Database): Database =>
  new Proxy(db, {
    get(target, name) {
      if (name !== 'executeQuery') return Reflect.get(target, name, target)
      return (query: Parameters<Database['executeQuery']>[0]) => {
        queries += 1
        return target.executeQuery(query)
      }
    },
  })

const presented = (key: string) => ({ key, text: `sk-${key}` })
const nameOf = async (key: string) =>
  ((await lookup.find(key)) ?? (await lookup.findOther(presented(key))))?.name

describe('a lookup of callers', () => {
  test('takes three queries for unknown keys, however many are presented at once', async () => {
    const keys = Array.from({ length: CALLERS }, (_, at) => `unknown${at}`)
    expect(new Set(await Promise.all(keys.map(nameOf)))).toEqual(new Set([undefined]))
    expect(queries).toBe(3)
  })

  test('takes one query for keys that are known', async () => {
    const keys = await Promise.all([relay.addToken(), relay.addToken()])
    expect(await Promise.all(keys.map(nameOf))).toEqual(['key', 'key'])
    expect(queries).toBe(1)
  })

  test('finds each token by the key that it had before and by an imported one, among others at once', async () => {
    const hashes = {
      former: { former_key_hash: secrets.hash(TOKEN_KEY_PURPOSE, 'a'), former_key_until: FOREVER },
      'former of an import': {
        former_key_hash: hashImportedKey(secrets, sha256('sk-b')),
        former_key_until: FOREVER,
      },
      ended: { former_key_hash: secrets.hash(TOKEN_KEY_PURPOSE, 'c'), former_key_until: 5 },
      imported: { key_hash: hashImportedKey(secrets, sha256('sk-d')) },
      deleted: { key_hash: hashImportedKey(secrets, sha256('sk-e')), deleted_at: 5 },
    }
    for (const [name, columns] of Object.entries(hashes))
      await relay.addToken({ columns: { name, ...columns } })
    expect(await Promise.all(['a', 'b', 'c', 'd', 'e'].map(nameOf))).toEqual([
      'former',
      'former of an import',
      undefined,
      'imported',
      undefined,
    ])
    expect(queries).toBe(3)
  })
})
