import { Invitation } from '../../app/invitation/invitation.tsx'
import { useText } from '../../ui/text.ts'
import { Panel } from './panel.tsx'
import { text } from './text.ts'

/** The link to invite with, and what it brought. */
export function InvitationPanel() {
  const t = useText(text)
  return (
    <Panel title={t('invite')}>
      <Invitation />
    </Panel>
  )
}
