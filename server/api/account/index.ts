import {
  getInvitationCode,
  register,
  testSetting,
  transferInvitationQuota,
  updateSetting,
} from '#contract/accounts/account.ts'
import { quota } from '../../core/money.ts'
import { inTransaction } from '../../db/database.ts'
import { findUser, lockUser, updateUser } from '../../db/users.ts'
import type { Notice } from '../../integrations/notice.ts'
import { noticeWishOf } from '../../integrations/notice-target.ts'
import { transferInvitation } from '../../ledger/adjust.ts'
import { checkHuman } from '../check-human.ts'
import { handle, handleReply } from '../handle.ts'
import { refuse } from './refuse.ts'
import { registerAccount } from './register-account.ts'
import { settingText } from './setting-text.ts'

const TRANSFERRED = { zh: '划转成功', en: 'transferred' }
const STORED = { zh: '设置已更新', en: 'the settings are stored' }
const TEST_NOTICE: Notice = {
  type: 'test',
  subject: { zh: '测试通知', en: 'a notice to try the settings' },
  text: {
    zh: '这是一条测试通知，收到它说明通知设置正确。',
    en: 'This notice tries your settings. That you read it shows that they are right.',
  },
  values: [],
}

export const routes = [
  handle(register, async ({ body, query, ...context }) => {
    await checkHuman(query.turnstile, context)
    await registerAccount(body, context)
  }),

  handle(getInvitationCode, async ({ db, caller }) => (await findUser(db, caller.id))?.aff_code ?? ''),

  handleReply(transferInvitationQuota, async ({ db, body, caller, settings, requestId, language }) => {
    const least = settings.current().values.QuotaPerUnit
    if (body.quota < least) throw refuse('too_little', { least })
    const change = {
      userId: caller.id,
      amount: quota(body.quota),
      actorId: caller.id,
      reason: 'invitation earnings transferred',
      requestId,
    }
    await inTransaction(db, tx => transferInvitation(tx, change))
    return { message: TRANSFERRED[language] }
  }),

  handleReply(updateSetting, async ({ db, body, caller, secrets, language }) => {
    await inTransaction(db, async tx => {
      const user = await lockUser(tx, caller.id)
      await updateUser(tx, caller.id, { setting: settingText(body, user?.setting ?? '', secrets) })
    })
    return { message: STORED[language] }
  }),

  handle(testSetting, async ({ db, caller, secrets, sendNotice }) => {
    const user = await findUser(db, caller.id)
    const target = user && noticeWishOf(user, secrets).target
    if (!target) throw refuse('no_target')
    await sendNotice(TEST_NOTICE, target)
  }),
]
