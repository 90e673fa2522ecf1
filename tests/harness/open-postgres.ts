import { join } from 'node:path'
import { SQL } from 'bun'
import { PROJECT } from './program.ts'

/** An empty database on a real PostgreSQL. */
export interface PostgresDatabase {
  readonly url: string
  stop(): Promise<unknown>
}

/** Uses the server of `TEST_DATABASE_URL`, otherwise starts the one of the npm package. */
export async function openPostgres(): Promise<PostgresDatabase> {
  const own = process.env.TEST_DATABASE_URL
  return own ? makeDatabase(own) : (await starterOfServers())()
}

type StartPostgres = () => Promise<PostgresDatabase>

/** Safe cast: the script is plain JavaScript, because launchers run it before node_modules exists. */
async function starterOfServers(): Promise<StartPostgres> {
  const script = await import(join(PROJECT, 'scripts', 'lib', 'start-postgres.mjs'))
  return script.startPostgres as StartPostgres
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
