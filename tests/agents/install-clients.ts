import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import type { PinnedPackage } from './agent.ts'

const CACHE = join(PROJECT, '.cache', 'agents')

/** Installs the packages of one client into a folder of its own, unless it holds them already. Returns the folder. */
export async function installClient(name: string, packages: readonly PinnedPackage[]): Promise<string> {
  const folder = join(CACHE, name)
  const stamp = join(folder, 'installed.json')
  const pinned = JSON.stringify(packages)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pinned) return folder
  mkdirSync(folder, { recursive: true })
  const npm = packages.filter(({ registry }) => registry === 'npm')
  const pypi = packages.filter(({ registry }) => registry === 'pypi')
  if (npm.length > 0) await installFromNpm(folder, npm)
  if (pypi.length > 0) await installFromPypi(folder, pypi)
  writeFileSync(stamp, pinned)
  return folder
}

async function installFromNpm(folder: string, packages: readonly PinnedPackage[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const names = packages.map(({ name, version }) => `${name}@${version}`)
  // Some clients unpack their executable in a script, which this project's own settings turn off.
  const options = ['--no-audit', '--no-fund', '--save-exact', '--ignore-scripts=false']
  await runInstaller(folder, ['npm', 'install', ...options, ...names])
}

async function installFromPypi(folder: string, packages: readonly PinnedPackage[]): Promise<void> {
  await runInstaller(folder, [process.env.PYTHON ?? 'python3', '-m', 'venv', 'venv'])
  const names = packages.map(({ name, version }) => `${name}==${version}`)
  await runInstaller(folder, ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', ...names])
}

async function runInstaller(folder: string, command: readonly string[]): Promise<void> {
  const installer = Bun.spawn([...command], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await installer.exited
  if (code !== 0) throw new Error(`${command.join(' ')} exited with code ${code}`)
}
