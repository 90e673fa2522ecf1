import type { English } from '../../ui/text/text.ts'

const zh = {
  inviteHelp: '好友通过此链接注册后，奖励会记在这里。',
  copyLink: '复制邀请链接',
  pending: '待使用收益',
  earned: '总收益',
  invited: '邀请人数',
  transfer: '划转到余额',
  transferTitle: '划转收益到余额',
  transferAmount: '划转额度',
  transferAll: '全部划转',
  transferLeast: '划转金额最低为 {least}',
  transferMost: '不能超过待使用收益 {most}',
  transferDone: '已划转 {amount}',
}

const en: English<typeof zh> = {
  inviteHelp: 'What you earn when somebody signs up through this link stands here.',
  copyLink: 'Copy the invitation link',
  pending: 'To be used',
  earned: 'Earned',
  invited: 'Invited',
  transfer: 'Move to balance',
  transferTitle: 'Move earnings to the balance',
  transferAmount: 'Amount to move',
  transferAll: 'Everything',
  transferLeast: 'Move {least} at least',
  transferMost: 'Only {most} can be moved',
  transferDone: '{amount} moved',
}

export const invitationText = { zh, en }
