import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ComponentProps, ReactNode, RefObject } from 'react'
import { Button, IconButton } from '../buttons/buttons.tsx'
import { classes } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'

const WIDTHS = { small: 'max-w-110', normal: 'max-w-140', large: 'max-w-180' } as const

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Buttons, cancel first. On phones they take the full width, with the last one on top. */
  readonly footer?: ReactNode
  /** The primary button, beside one that cancels, instead of a footer of its own. */
  readonly confirm?: Omit<ComponentProps<typeof Button>, 'variant'>
  readonly width?: keyof typeof WIDTHS
  /** Only buttons close it, so that it cannot be dismissed by accident. */
  readonly isPersistent?: boolean
  readonly initialFocus?: RefObject<HTMLElement | null>
}

/** A modal dialog for a question or a short form. Mounting opens it. Its code is heavy: load it with `lazyPart`. */
export function Dialog({
  title,
  onClose,
  children,
  confirm,
  footer = confirm && (
    <>
      <CancelButton onClick={onClose} />
      <Button variant="primary" {...confirm} />
    </>
  ),
  width = 'small',
  isPersistent = false,
  initialFocus,
}: DialogProps) {
  const t = useKitText()
  return (
    <BaseDialog.Root open disablePointerDismissal onOpenChange={open => !open && !isPersistent && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-50 bg-scrim" />
        <BaseDialog.Viewport className="fixed inset-0 z-50 flex items-end justify-center overflow-y-auto sm:items-start sm:px-4 sm:py-[12vh]">
          <BaseDialog.Popup
            {...(initialFocus ? { initialFocus } : {})}
            className={classes(
              'w-full rounded-t-dialog bg-surface shadow-sheet outline-none sm:rounded-dialog',
              WIDTHS[width],
            )}
          >
            <div className="flex items-start justify-between gap-4 px-5 pt-4">
              <BaseDialog.Title className="text-section font-semibold">{title}</BaseDialog.Title>
              {!isPersistent && (
                <IconButton label={t('close')} icon={X} size="small" hasTooltip={false} onClick={onClose} />
              )}
            </div>
            <div className="px-5 pt-2 pb-5 text-body">{children}</div>
            {footer && (
              <div className="flex flex-col-reverse gap-2 border-t border-line px-5 py-3 pb-[max(12px,env(safe-area-inset-bottom))] sm:flex-row sm:justify-end max-sm:[&>button]:h-11 max-sm:[&>button]:w-full">
                {footer}
              </div>
            )}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

function CancelButton({ onClick }: { readonly onClick: () => void }) {
  return <Button onClick={onClick}>{useKitText()('cancel')}</Button>
}
