import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  inviteHelp: '好友通过此链接注册后，您的奖励会显示在这里。',
  copyLink: '复制邀请链接',
  pending: '待使用收益',
  earned: '总收益',
  invited: '邀请人数',
  transfer: '划转到余额',
  transferTitle: '划转收益到余额',
  transferAmount: '划转额度',
  transferAll: '全部划转',
  transferLeast: '划转额度不能小于 {least}',
  transferMost: '划转额度不能超过待使用收益 {most}',
  transferDone: '已划转 {amount}',
}

const en: English<typeof zh> = {
  inviteHelp: 'Earnings from sign-ups through this link appear here.',
  copyLink: 'Copy the invitation link',
  pending: 'Available',
  earned: 'Total earned',
  invited: 'Invited',
  transfer: 'Move to balance',
  transferTitle: 'Move earnings to the balance',
  transferAmount: 'Amount to move',
  transferAll: 'All',
  transferLeast: 'Move at least {least}',
  transferMost: 'At most {most} can be moved',
  transferDone: 'Moved {amount}',
}

export const invitationText = { zh, en }
export const useInvitationText = () => useText(invitationText)
