import { GitBranch, MessageCircle, MessagesSquare } from 'lucide-react'
import { Suspense, useState } from 'react'
import { signInWithWechat } from '#contract/oauth.ts'
import { Button } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { call } from '../call.ts'
import { errorText } from '../call-error.ts'
import { rememberUser } from '../session.ts'
import { useStatus } from '../status.ts'
import { beginOauth } from './begin-oauth.ts'
import { keepMethod, lastMethod, methodsOf, type SignInMethod } from './sign-in-methods.ts'
import { waysText } from './ways-text.ts'

const wechat = lazyPart(async () => (await import('./wechat-dialog.tsx')).WechatDialog)
const telegram = lazyPart(async () => (await import('./telegram-widget.tsx')).TelegramWidget)

const NAMES = { github: 'GitHub', linuxdo: 'LINUX DO' } as const
const ICONS = { github: GitBranch, linuxdo: MessagesSquare, wechat: MessageCircle } as const

/** The other parties that people may sign in through. Nothing while none is turned on. */
export function SignInButtons() {
  const t = useText(waysText)
  const status = useStatus()
  const [isWechatOpen, setWechatOpen] = useState(false)
  const [busy, setBusy] = useState<SignInMethod>()
  const methods = methodsOf(status)
  const begin = async (method: SignInMethod) => {
    if (method === 'wechat') return setWechatOpen(true)
    if (method === 'telegram') return
    setBusy(method)
    try {
      await beginOauth(method, status)
    } catch (error) {
      toast('error', errorText(error))
    }
    setBusy(undefined)
  }
  const signIn = async (code: string) => {
    const user = await call(signInWithWechat, { query: { code } })
    keepMethod('wechat')
    rememberUser(user)
    toast('success', t('signedIn'))
  }
  if (methods.length === 0) return null
  return (
    <div className="grid gap-2.5">
      <p aria-hidden className="my-2.5 flex items-center gap-3 text-caption text-subtle">
        <span className="h-px flex-1 bg-line" />
        {t('or')}
        <span className="h-px flex-1 bg-line" />
      </p>
      {methods.map(method =>
        method === 'telegram' ? (
          <Suspense key={method} fallback={null}>
            <telegram.Part />
          </Suspense>
        ) : (
          <Button
            key={method}
            size="large"
            icon={ICONS[method]}
            isBusy={busy === method}
            className="relative w-full"
            onClick={() => void begin(method)}
          >
            {method === 'wechat' ? t('withWechat') : t('with', { name: NAMES[method] })}
            {lastMethod() === method && (
              <span className="absolute inset-y-0 right-3 flex items-center text-caption font-normal text-subtle">
                {t('lastUsed')}
              </span>
            )}
          </Button>
        ),
      )}
      <Suspense fallback={null}>
        {isWechatOpen && <wechat.Part onCode={signIn} onClose={() => setWechatOpen(false)} />}
      </Suspense>
    </div>
  )
}
