import { type Browser, chromium } from 'playwright-core'
import { unpackChromium } from './unpack-chromium.ts'

const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none']

/** Starts a real Chromium without a window. Close it when the tests of the file are done. */
export async function openBrowser(): Promise<Browser> {
  const { path, environment } = await unpackChromium()
  return chromium.launch({
    executablePath: path,
    args: ARGUMENTS,
    env: { ...definedOnly(process.env), ...environment },
  })
}

const definedOnly = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
