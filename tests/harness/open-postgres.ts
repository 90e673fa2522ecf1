import { join } from 'node:path'
import { SQL } from 'bun'
import { PROJECT } from './program.ts'

/** An empty database on a real PostgreSQL. */
export interface PostgresDatabase {
  readonly url: string
  stop(): Promise<unknown>
}

/** On the machine's own server when `TEST_DATABASE_URL` names one, else on one that comes with npm. */
export async function openPostgres(): Promise<PostgresDatabase> {
  const own = process.env.TEST_DATABASE_URL
  return own ? makeDatabase(own) : (await starterOfServers())()
}

/** Trusts the launchers' script to export what it exports: it is plain JavaScript, for Node without node_modules. */
async function starterOfServers(): Promise<() => Promise<PostgresDatabase>> {
  const script = await import(join(PROJECT, 'scripts', 'lib', 'start-postgres.mjs'))
  return script.startPostgres as () => Promise<PostgresDatabase>
}

async function makeDatabase(server: string): Promise<PostgresDatabase> {
  const name = `tollgate_${crypto.randomUUID().replaceAll('-', '')}`
  const run = async (statement: string): Promise<void> => {
    const sql = new SQL(server, { max: 1 })
    await sql.unsafe(statement)
    await sql.close()
  }
  await run(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, stop: () => run(`drop database ${name} with (force)`) }
}
