import { Dialog } from '@base-ui/react/dialog'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { IconButton } from '../buttons/buttons.tsx'
import { classes } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'
import { useWindowName } from '../text/window-name.ts'

const FIELDS = 'input:not([type=hidden]), textarea, [role=combobox]'

const WIDTHS = { normal: 'sm:w-150', wide: 'sm:w-150 2xl:w-220', narrow: 'sm:w-140' } as const

/** Links to the previous and next record; undefined at the ends. */
export interface PreviousNext {
  readonly previous: (() => void) | undefined
  readonly next: (() => void) | undefined
  readonly previousLabel: string
  readonly nextLabel: string
}

interface SheetProps {
  readonly title: string
  /** Shown beside the title: id, status. */
  readonly status?: ReactNode
  /** Called by the close button and Escape. Unsaved changes are guarded by the router, which also covers Back. */
  readonly onClose: () => void
  readonly children: ReactNode
  /** Always visible, with the primary button last. */
  readonly footer?: ReactNode
  readonly previousNext?: PreviousNext
  readonly width?: keyof typeof WIDTHS
  /** Keeps the page behind usable. For reading, not for forms. */
  readonly isNonModal?: boolean
  /** Called by ⌘Enter and Ctrl+Enter. */
  readonly onSubmit?: () => void
}

/** A side panel for one record. Mounting opens it. Its code is heavy: load it with `lazyPart`. */
export function Sheet(props: SheetProps) {
  const {
    title,
    status,
    onClose,
    children,
    footer,
    previousNext,
    width = 'normal',
    isNonModal = false,
    onSubmit,
  } = props
  const t = useKitText()
  useWindowName(title)
  const heading = useRef<HTMLHeadingElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const initialFocus = () => body.current?.querySelector<HTMLElement>(FIELDS) ?? heading.current ?? true
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || !onSubmit) return
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog.Root open modal={!isNonModal} disablePointerDismissal onOpenChange={open => !open && onClose()}>
      <Dialog.Portal>
        {!isNonModal && <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />}
        <Dialog.Popup
          onKeyDown={submitByKey}
          initialFocus={initialFocus}
          className={classes(
            'sheet-enter fixed inset-y-0 right-0 z-40 flex w-full flex-col bg-surface shadow-sheet outline-none',
            WIDTHS[width],
          )}
        >
          <div className="flex h-14 shrink-0 items-center gap-3 border-b border-line px-4 sm:px-6">
            <Dialog.Title
              ref={heading}
              tabIndex={-1}
              className="min-w-0 truncate text-section font-semibold outline-none"
            >
              {title}
            </Dialog.Title>
            {status}
            <span className="ml-auto flex items-center gap-1 coarse:gap-3">
              {previousNext && <PreviousNextButtons previousNext={previousNext} />}
              <IconButton label={t('close')} icon={X} shortcut="Esc" onClick={onClose} />
            </span>
          </div>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 py-5 sm:px-6">
            {children}
          </div>
          {footer && (
            <div className="flex min-h-16 shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-4 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))] sm:px-6">
              {footer}
            </div>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function PreviousNextButtons({ previousNext }: { readonly previousNext: PreviousNext }) {
  const { previous, next, previousLabel, nextLabel } = previousNext
  return (
    <>
      <IconButton label={previousLabel} icon={ChevronLeft} disabled={!previous} onClick={previous} />
      <IconButton label={nextLabel} icon={ChevronRight} disabled={!next} onClick={next} />
    </>
  )
}

interface SheetSectionProps {
  readonly title: string
  readonly children: ReactNode
}

/** A titled section of a sheet. */
export function SheetSection({ title, children }: SheetSectionProps) {
  return (
    <section
      aria-label={title}
      className="grid gap-5 not-first:mt-7 not-first:border-t not-first:border-line not-first:pt-6"
    >
      <h3 className="text-body font-semibold">{title}</h3>
      {children}
    </section>
  )
}

interface SectionAnchorsProps {
  readonly label: string
  readonly sections: ReadonlyArray<{ readonly id: string; readonly title: string }>
}

/** Sticky links to the sections of a long sheet. */
export function SectionAnchors({ label, sections }: SectionAnchorsProps) {
  const show = (id: string) => document.getElementById(id)?.scrollIntoView({ block: 'start' })
  return (
    <nav
      aria-label={label}
      className="sticky -top-5 z-10 -mx-4 -mt-5 mb-5 flex gap-1 overflow-x-auto border-b border-line bg-surface px-3 sm:-mx-6 sm:px-5"
    >
      {sections.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          onClick={() => show(id)}
          className="h-10 shrink-0 rounded-control px-2 text-small whitespace-nowrap text-muted outline-offset-[-2px] hover:text-fg coarse:h-11"
        >
          {title}
        </button>
      ))}
    </nav>
  )
}
