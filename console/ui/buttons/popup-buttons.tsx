import { Ellipsis, type LucideIcon } from 'lucide-react'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import {
  type ButtonSize,
  type ButtonVariant,
  buttonClasses,
  classes,
  iconButtonClasses,
} from '../class-names.ts'
import { lazyPart } from '../lazy-part.ts'
import type { MenuItems } from '../overlays/menu-popup.tsx'

interface MenuButtonProps {
  readonly label: string
  readonly items: MenuItems
  readonly icon?: LucideIcon
  /** Content of the button. Without it the button shows only the icon. */
  readonly children?: ReactNode
  /** Shown above the items, for example the signed-in user. */
  readonly head?: ReactNode
  /** `text`: plain text in a table. */
  readonly variant?: ButtonVariant | 'text'
  readonly size?: ButtonSize
  readonly className?: string
}

const TEXT_CLASSES = 'rounded-control text-left touch-target hover:text-accent hover:underline'

const menuPopup = lazyPart(async () => (await import('../overlays/menu-popup.tsx')).MenuPopup)

/** A button that opens a menu. The menu's code loads on hover or focus. */
export function MenuButton({
  label,
  items,
  icon: Icon = Ellipsis,
  children,
  head,
  ...rest
}: MenuButtonProps) {
  const { variant = 'ghost', size = 'normal', className } = rest
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
        onPointerEnter={menuPopup.preload}
        onFocus={menuPopup.preload}
        onClick={event => setOpened(isOpen ? 'no' : event.detail === 0 ? 'keyboard' : 'pointer')}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpened('keyboard')
        }}
        className={classes(
          variant === 'text'
            ? TEXT_CLASSES
            : hasWords
              ? buttonClasses(variant, size)
              : iconButtonClasses(variant, size),
          variant !== 'text' && 'text-muted',
          className,
        )}
      >
        {children ?? <Icon size={size === 'small' ? 15 : 17} aria-hidden />}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <menuPopup.Part
            anchor={button}
            container={closestLandmark(button.current)}
            label={label}
            items={items}
            head={head}
            align={variant === 'text' ? 'start' : 'end'}
            isByKeyboard={opened === 'keyboard'}
            onClose={() => setOpened('no')}
          />
        </Suspense>
      )}
    </>
  )
}

/** The landmark that contains the opener. Popups render inside it, so that screen readers find them in the same region. */
export const closestLandmark = (opener: HTMLElement | null): HTMLElement =>
  opener?.closest<HTMLElement>('[role=dialog], main, header') ?? document.body

interface PopoverButtonProps {
  readonly label: string
  /** Content of the button. */
  readonly content: ReactNode
  readonly className: string
  /** False where the content already shows the label. */
  readonly hasTooltip?: boolean
  readonly children: (close: () => void) => ReactNode
}

const popoverPopup = lazyPart(async () => (await import('../overlays/popover-popup.tsx')).PopoverPopup)

/** A button that opens a popover. */
export function PopoverButton({
  label,
  content,
  className,
  hasTooltip = false,
  children,
}: PopoverButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-tooltip={hasTooltip && !isOpen ? label : undefined}
        onPointerEnter={popoverPopup.preload}
        onFocus={popoverPopup.preload}
        onClick={() => setOpen(!isOpen)}
        className={className}
      >
        {content}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <popoverPopup.Part
            anchor={button}
            container={closestLandmark(button.current)}
            label={label}
            onClose={close}
          >
            {children(close)}
          </popoverPopup.Part>
        </Suspense>
      )}
    </>
  )
}
