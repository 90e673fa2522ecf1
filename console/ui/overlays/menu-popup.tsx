import { Menu } from '@base-ui/react/menu'
import { Check, type LucideIcon } from 'lucide-react'
import { type FocusEvent, Fragment, type ReactNode, type RefObject, useRef } from 'react'
import { classes } from '../class-names.ts'

interface MenuPopupProps {
  readonly anchor: RefObject<HTMLElement | null>
  /** The landmark that the popup belongs to. */
  readonly container: HTMLElement
  readonly label: string
  readonly items: MenuItems
  readonly head?: ReactNode
  readonly align: 'start' | 'end'
  /** Opened with the keyboard: focus the first item. */
  readonly isByKeyboard: boolean
  readonly onClose: () => void
}

/** The menu of a `MenuButton`. */
export function MenuPopup({
  anchor,
  container,
  label,
  items,
  head,
  align,
  isByKeyboard,
  onClose,
}: MenuPopupProps) {
  const isFirstFocus = useRef(isByKeyboard)
  const passOn = (event: FocusEvent<HTMLElement>) => {
    if (!isFirstFocus.current || event.target !== event.currentTarget) return
    isFirstFocus.current = false
    event.currentTarget.querySelector<HTMLElement>('[role^=menuitem]')?.focus()
  }
  return (
    <Menu.Root
      open
      onOpenChange={(open, details) => {
        const { target } = details.event
        if (target instanceof Node && anchor.current?.contains(target)) return details.cancel()
        if (!open) onClose()
      }}
    >
      <Menu.Portal container={container}>
        <Menu.Positioner anchor={anchor} align={align} sideOffset={4} collisionPadding={8} className="z-50">
          <Menu.Popup
            onFocus={passOn}
            aria-label={label}
            finalFocus={anchor}
            className="max-h-[min(70vh,var(--available-height))] min-w-45 max-w-80 overflow-y-auto rounded-card border border-line bg-raised p-1 text-body shadow-menu outline-none"
          >
            {head}
            {items.map((group, index) => (
              <Fragment key={group.map(item => item.label).join()}>
                {(index > 0 || head !== undefined) && <Menu.Separator className="mx-1 my-1 h-px bg-line" />}
                {group.map(item => (
                  <MenuRow key={item.label} item={item} />
                ))}
              </Fragment>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function MenuRow({ item }: { readonly item: MenuAction }) {
  const { icon: Icon } = item
  const isChoice = item.isChecked !== undefined
  return (
    <Menu.Item
      disabled={item.isDisabled ?? false}
      onClick={item.onSelect}
      {...(isChoice ? { role: 'menuitemradio', 'aria-checked': item.isChecked } : {})}
      className={classes(
        'flex h-8 cursor-default items-center gap-2.5 rounded-control px-2 outline-none select-none data-disabled:text-subtle data-disabled:opacity-60 coarse:h-11',
        item.isDanger ? 'text-danger data-highlighted:bg-danger-bg' : 'data-highlighted:bg-hover',
      )}
    >
      {Icon && <Icon size={16} aria-hidden className={classes('shrink-0', !item.isDanger && 'text-muted')} />}
      <span className="min-w-0 flex-1 truncate">{item.label}</span>
      {item.isChecked && <Check size={15} aria-hidden className="text-accent" />}
      {item.shortcut && <kbd className="font-sans text-caption text-subtle">{item.shortcut}</kbd>}
    </Menu.Item>
  )
}

export interface MenuAction {
  readonly label: string
  readonly icon?: LucideIcon
  readonly onSelect: () => void
  readonly shortcut?: string
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
  /** Makes the item a radio item, checked or not. */
  readonly isChecked?: boolean
}

/** Groups of items, separated by lines. */
export type MenuItems = ReadonlyArray<readonly MenuAction[]>
