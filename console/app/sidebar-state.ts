import { createStore, useStore } from '../ui/create-store.ts'
import { readStored, writeStored } from './local-store.ts'
import { useStatus } from './status.ts'

const chosen = createStore<'open' | 'closed' | undefined>(asChoice(readStored('sidebar')))

function asChoice(stored: string | undefined): 'open' | 'closed' | undefined {
  return stored === 'open' || stored === 'closed' ? stored : undefined
}

/** The reader's own choice wins; before it the installation's default holds. */
export function useSidebarCollapsed(): boolean {
  const { default_collapse_sidebar: isCollapsedAtFirst } = useStatus()
  const choice = useStore(chosen)
  return choice === undefined ? isCollapsedAtFirst : choice === 'closed'
}

export function chooseSidebar(isCollapsed: boolean): void {
  const choice = isCollapsed ? 'closed' : 'open'
  writeStored('sidebar', choice)
  chosen.set(choice)
}
