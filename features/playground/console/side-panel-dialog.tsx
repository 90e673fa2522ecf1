import type { ReactNode } from 'react'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'

interface SidePanelDialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A side panel on screens that are too narrow to show it beside the conversation. */
export function SidePanelDialog({ title, onClose, children }: SidePanelDialogProps) {
  const kit = useKitText()
  return (
    <Dialog
      title={title}
      width="normal"
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {kit('close')}
        </Button>
      }
    >
      <div className="max-h-[65dvh] overflow-y-auto p-1 pt-3">{children}</div>
    </Dialog>
  )
}
