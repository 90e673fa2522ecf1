import { Suspense, useState } from 'react'
import type { ReauthenticationMethod } from '#contract/accounts/reauthentication.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { toast } from '../../ui/overlays/messages.tsx'
import { errorText } from '../api/call.ts'
import { useStatus } from '../api/status.ts'
import { startOauth, useBoundMessage } from '../sign-in/oauth.ts'
import { useReauthenticationText } from './reauthentication-text.ts'

const wechat = lazyPart(async () => (await import('../sign-in/wechat-dialog.tsx')).WechatDialog)

const OAUTH_NAMES = { github: 'GitHub', linuxdo: 'LINUX DO' } as const

interface ProviderButtonsProps {
  readonly methods: readonly ReauthenticationMethod[]
  readonly bindWechat: (code: string) => Promise<unknown>
  readonly onConfirmed: () => void
}

/** Identity providers of the account: signing in there again confirms the identity. */
export function ProviderButtons({ methods, bindWechat, onConfirmed }: ProviderButtonsProps) {
  const t = useReauthenticationText()
  const status = useStatus()
  const [isWechatOpen, setWechatOpen] = useState(false)
  useBoundMessage(onConfirmed)
  const providers = (['github', 'linuxdo'] as const).filter(method => methods.includes(method))
  const start = (method: (typeof providers)[number]) =>
    startOauth(method, status).catch((error: unknown) => toast('error', errorText(error)))
  const confirmByCode = async (code: string) => {
    await bindWechat(code)
    onConfirmed()
  }
  return (
    <div className="mt-4 grid gap-2.5 empty:hidden">
      {providers.map(method => (
        <Button key={method} className="w-full" onClick={() => void start(method)}>
          {t('with', { name: OAUTH_NAMES[method] })}
        </Button>
      ))}
      {methods.includes('wechat') && (
        <Button className="w-full" onClick={() => setWechatOpen(true)}>
          {t('with', { name: t('wechat') })}
        </Button>
      )}
      <Suspense fallback={null}>
        {isWechatOpen && <wechat.Part onCode={confirmByCode} onClose={() => setWechatOpen(false)} />}
      </Suspense>
    </div>
  )
}
