import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { classes } from '../../ui/classes.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useText } from '../../ui/text.ts'
import { useMedia } from '../../ui/use-media.ts'
import { appText } from '../app-text.ts'
import { chooseSidebar, useSidebarCollapsed } from '../sidebar-state.ts'
import { NavList } from './nav-list.tsx'

const ROOMY = '(min-width: 1024px)'

/** The pages at the left; only icons where there is little room or the reader wants it so. */
export function Sidebar() {
  const t = useText(appText)
  const isRoomy = useMedia(ROOMY)
  const isCollapsed = useSidebarCollapsed()
  const isNarrow = !isRoomy || isCollapsed
  return (
    <div
      className={classes(
        'sticky top-14 flex h-[calc(100dvh-3.5rem)] max-h-full shrink-0 flex-col border-r border-line bg-surface',
        isNarrow ? 'w-14' : 'w-56',
      )}
    >
      <div className={classes('min-h-0 flex-1 overflow-y-auto py-4', isNarrow ? 'px-2' : 'px-3')}>
        <NavList isNarrow={isNarrow} />
      </div>
      {isRoomy && (
        <div className={classes('flex border-t border-line p-2', !isNarrow && 'justify-end')}>
          <IconButton
            label={t(isCollapsed ? 'expandSidebar' : 'collapseSidebar')}
            icon={isCollapsed ? PanelLeftOpen : PanelLeftClose}
            shortcut="⌘B"
            onClick={() => chooseSidebar(!isCollapsed)}
          />
        </div>
      )}
    </div>
  )
}
