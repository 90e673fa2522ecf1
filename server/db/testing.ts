import { SQL } from 'bun'
import { randomText } from '../kernel/id.ts'
import { migrate, type OpenDatabase, openDatabase } from './database.ts'

const NAME_LETTERS = 12

/**
 * A fresh, migrated database for one test: in memory, or, when `TEST_DATABASE_URL` names a PostgreSQL server,
 * a database of its own there, dropped by `close`.
 */
export async function openTestDatabase(): Promise<OpenDatabase> {
  const opened = await openEmptyTestDatabase()
  await migrate(opened)
  return opened
}

/** As `openTestDatabase`, without any table. */
export async function openEmptyTestDatabase(): Promise<OpenDatabase> {
  const server = process.env.TEST_DATABASE_URL
  return server ? openScratchDatabase(server) : openDatabase({ url: ':memory:', durability: 'process' })
}

async function openScratchDatabase(server: string): Promise<OpenDatabase> {
  const name = `test_${randomText(NAME_LETTERS).toLowerCase()}`
  await runOnServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const opened = openDatabase({ url: url.href, durability: 'process' })
  return {
    ...opened,
    async close() {
      await opened.close()
      await runOnServer(server, `drop database ${name} with (force)`)
    },
  }
}

async function runOnServer(server: string, statement: string): Promise<void> {
  const client = new SQL(server, { max: 1 })
  try {
    await client.unsafe(statement)
  } finally {
    await client.close()
  }
}
