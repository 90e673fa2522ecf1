import { Combobox } from '@base-ui/react/combobox'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

/** The open list of both comboboxes. */
export function ComboboxList<Item>({ children }: { readonly children: (item: Item) => ReactNode }) {
  const t = useText(kitText)
  return (
    <Combobox.Portal>
      <Combobox.Positioner className="z-50 outline-none" sideOffset={4} collisionPadding={8}>
        <Combobox.Popup className="max-h-[min(20rem,var(--available-height))] w-[max(var(--anchor-width),12rem)] max-w-[var(--available-width)] overflow-y-auto overscroll-contain rounded-card border border-line bg-raised p-1 shadow-menu">
          <Combobox.Empty>
            <div className="px-2 py-1.5 text-body text-muted">{t('noMatches')}</div>
          </Combobox.Empty>
          <Combobox.List className="outline-none">{children}</Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  )
}

export const comboboxItemClasses =
  'flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 py-1 text-body outline-none select-none data-highlighted:bg-hover coarse:min-h-11'

/** The tick of a chosen item; keeps its place when it is not chosen. */
export const ComboboxTick = () => (
  <span className="w-4 shrink-0">
    <Combobox.ItemIndicator>
      <Check size={15} aria-hidden className="text-accent" />
    </Combobox.ItemIndicator>
  </span>
)

interface ComboboxKey {
  readonly key: string
  readonly currentTarget: Element
  readonly preventBaseUIHandler: () => void
}

/** With the list closed, Escape belongs to the sheet around it, and must not clear what was chosen. */
export function leaveEscape(event: ComboboxKey): void {
  const isOpen = event.currentTarget.getAttribute('aria-expanded') === 'true'
  if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler()
}
