import { Switch } from '../../ui/forms/fields.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useAppText } from '../app-text.ts'
import { setSingleKeys, useShortcuts, useSingleKeys } from './shortcuts.ts'

const shown = (keys: string): string =>
  keys.replace('mod+', '⌘/Ctrl ').replaceAll(/\b\w\b/g, key => key.toUpperCase())

/** All shortcuts of the current page. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const t = useAppText()
  const shortcuts = useShortcuts()
  const isOn = useSingleKeys()
  const latest = new Map(shortcuts.map(shortcut => [shortcut.keys, shortcut.label]))
  return (
    <Dialog title={t('shortcuts')} width="normal" onClose={onClose}>
      <div className="grid gap-4 pt-1">
        <Switch
          label={t('shortcutsOn')}
          help={t('shortcutsHelp')}
          checked={isOn}
          onChange={event => setSingleKeys(event.target.checked)}
        />
        <ul className="grid gap-x-8 border-t border-line pt-3 sm:grid-cols-2">
          {[...latest].map(([keys, label]) => (
            <li key={keys} className="flex h-9 items-center justify-between gap-4">
              <span className="truncate text-muted">{label}</span>
              <Kbd keys={shown(keys)} />
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

/** Keys of a shortcut, separated by spaces: `g t`. */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(' ').map(key => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-[4px] border border-line bg-sunken px-1 font-sans text-caption text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}
