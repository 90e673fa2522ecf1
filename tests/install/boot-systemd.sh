#!/bin/sh
# Becomes the first process of a nested system: the root file system of this machine under a layer in memory that takes every
# change. Runs in new mount and process namespaces. Arguments: an empty folder, and the folder to show as /mnt.
set -eu
WORK=$1
SHARED=$2

mount --make-rprivate /
mount -t tmpfs tmpfs "$WORK"
mkdir "$WORK/upper" "$WORK/work" "$WORK/root" "$WORK/shared"
mount -t overlay overlay -o "lowerdir=/,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
mount --bind "$SHARED" "$WORK/shared"
cd "$WORK/root"

mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount --rbind /sys/fs/cgroup sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm dev/mqueue
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
for device in null zero full random urandom tty; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s null dev/console
mount --bind "$WORK/shared" mnt
mount -o remount,bind,ro mnt

# Only the services under test start.
rm -f etc/systemd/system/*.wants/* etc/machine-id
printf '%s\n' 0123456789abcdef0123456789abcdef >etc/machine-id
printf '[Unit]\nRequires=basic.target\nAfter=basic.target\n' >etc/systemd/system/nested.target

mkdir -p .machine
pivot_root . .machine
umount -l /.machine
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=nested /lib/systemd/systemd --unit=nested.target --show-status=no
