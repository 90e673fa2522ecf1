import '#console/testing/vite-glob.ts'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { Screen } from '#console/app/router/define-screen.ts'
import { PROJECT } from './program.ts'

/** Every screen of the built console, found as the console finds them. */
export async function loadScreens(): Promise<readonly Screen[]> {
  const files = [...new Glob('features/*/console/**/index.tsx').scanSync(PROJECT)].sort()
  const modules: readonly { readonly screen: Screen }[] = await Promise.all(
    files.map(file => import(join(PROJECT, file))),
  )
  return modules.map(({ screen }) => screen)
}
