import { type ReactNode, Suspense, useRef, useState } from 'react'
import { lazyPart } from './lazy-part.ts'

interface PopoverButtonProps {
  readonly label: string
  /** What stands on the button. */
  readonly face: ReactNode
  readonly className: string
  /** No tooltip where the face already says the label. */
  readonly hasTooltip?: boolean
  readonly children: (close: () => void) => ReactNode
}

const popup = lazyPart(async () => (await import('./popover-popup.tsx')).PopoverPopup)

/** A button that opens a small panel beside it. */
export function PopoverButton({ label, face, className, hasTooltip = false, children }: PopoverButtonProps) {
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
        onPointerEnter={popup.preload}
        onFocus={popup.preload}
        onClick={() => setOpen(!isOpen)}
        className={className}
      >
        {face}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <popup.Part anchor={button} label={label} onClose={close}>
            {children(close)}
          </popup.Part>
        </Suspense>
      )}
    </>
  )
}
