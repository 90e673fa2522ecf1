import { Popover } from '@base-ui/react/popover'
import type { ReactNode, RefObject } from 'react'

interface PopoverPopupProps {
  readonly anchor: RefObject<HTMLElement | null>
  /** The landmark that the popup belongs to. */
  readonly container: HTMLElement
  readonly label: string
  readonly children: ReactNode
  readonly onClose: () => void
}

/** The popover of a `PopoverButton`. */
export function PopoverPopup({ anchor, container, label, children, onClose }: PopoverPopupProps) {
  return (
    <Popover.Root
      open
      onOpenChange={(open, details) => {
        const { target } = details.event
        if (target instanceof Node && anchor.current?.contains(target)) return details.cancel()
        if (!open) onClose()
      }}
    >
      <Popover.Portal container={container}>
        <Popover.Positioner
          anchor={anchor}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="z-50"
        >
          <Popover.Popup
            aria-label={label}
            finalFocus={anchor}
            className="max-h-[min(70vh,var(--available-height))] max-w-[min(26rem,calc(100vw-16px))] min-w-50 overflow-y-auto rounded-card border border-line bg-raised text-body shadow-menu outline-none"
          >
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
