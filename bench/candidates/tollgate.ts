import { listLogs } from '#features/logs/contract/logs.ts'
import packageJson from '../../package.json'
import { addLabChannel, addToken } from '../../tests/harness/lab-channel.ts'
import { EXECUTABLE, runTollgate } from '../../tests/harness/program.ts'
import { startGateway } from '../../tests/harness/start-gateway.ts'
import type { Lab } from '../../tests/harness/start-lab.ts'
import { makeTemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { type Candidate, MODEL } from './candidate.ts'

export interface Tollgate extends Candidate {
  /** Number of charged requests in its log. */
  countLogRows(): Promise<number>
  /** Stops it and audits its ledger: the report, and whether the drift is 0. */
  stopAndVerify(): Promise<{ readonly isBalanced: boolean; readonly report: string }>
}

const CHARGED = 2

/** Starts the released executable with all features on: authentication, holds, settlement, log, SQLite on disk. */
export async function startTollgate(lab: Pick<Lab, 'url'>, executable = EXECUTABLE): Promise<Tollgate> {
  const folder = makeTemporaryFolder()
  const gateway = await startGateway({ dataDir: folder.path, executable })
  const admin = await gateway.signInAsRoot()
  await addLabChannel(admin, lab, { provider: 'openai', models: [MODEL] })
  const { key } = await addToken(admin)
  const stop = async () => {
    await gateway.stop()
    folder.remove()
  }
  return {
    name: 'tollgate',
    version: packageJson.version,
    pid: gateway.pid,
    url: `${gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer sk-${key}` },
    stop,
    async countLogRows() {
      const { total } = await admin.call(listLogs, { query: { type: CHARGED } })
      return total
    },
    async stopAndVerify() {
      await gateway.stop()
      const { code, output } = await runTollgate(['verify'], { DATA_DIR: folder.path })
      folder.remove()
      return { isBalanced: code === 0, report: output.trim() }
    },
  }
}
