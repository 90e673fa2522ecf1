import { Ellipsis, type LucideIcon } from 'lucide-react'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import { type ButtonLook, type ButtonSize, buttonClasses, iconButtonClasses } from './button-classes.ts'
import { classes } from './classes.ts'
import { lazyPart } from './lazy-part.ts'
import type { MenuItems } from './menu-items.ts'

interface MenuButtonProps {
  readonly label: string
  readonly items: MenuItems
  readonly icon?: LucideIcon
  /** Words or a picture on the button; an icon button without. */
  readonly children?: ReactNode
  /** Stands above the items, for example who is signed in. */
  readonly head?: ReactNode
  /** `text`: words in a table that look like words. */
  readonly look?: ButtonLook | 'text'
  readonly size?: ButtonSize
  readonly className?: string
}

const TEXT = 'rounded-control text-left touch-target hover:text-accent hover:underline'

const popup = lazyPart(async () => (await import('./menu-popup.tsx')).MenuPopup)

/** A button that opens a list of actions. The list's code arrives when the button is pointed at or focused. */
export function MenuButton({
  label,
  items,
  icon: Icon = Ellipsis,
  children,
  head,
  ...rest
}: MenuButtonProps) {
  const { look = 'ghost', size = 'normal', className } = rest
  const button = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState<'no' | 'pointer' | 'keyboard'>('no')
  const isOpen = opened !== 'no'
  const hasWords = children !== undefined
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        data-tooltip={isOpen ? undefined : label}
        onPointerEnter={popup.preload}
        onFocus={popup.preload}
        onClick={event => setOpened(isOpen ? 'no' : event.detail === 0 ? 'keyboard' : 'pointer')}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpened('keyboard')
        }}
        className={classes(
          look === 'text' ? TEXT : hasWords ? buttonClasses(look, size) : iconButtonClasses(look, size),
          look !== 'text' && 'text-muted',
          className,
        )}
      >
        {children ?? <Icon size={size === 'small' ? 15 : 17} aria-hidden />}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <popup.Part
            anchor={button}
            label={label}
            items={items}
            head={head}
            align={look === 'text' ? 'start' : 'end'}
            isByKeyboard={opened === 'keyboard'}
            onClose={() => setOpened('no')}
          />
        </Suspense>
      )}
    </>
  )
}
