# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own kfree_rcu load can be driven: what it is compared with runs here.
. /tests/lib.sh

insmod /lib/modules/torture.ko || fail "insmod torture"
insmod /lib/modules/rcuscale.ko kfree_rcu_test=1 kfree_nthreads=4 kfree_alloc_num=500 \
	kfree_loops=5 || fail "insmod rcuscale"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	sleep 1
	dmesg | grep -o "Total time taken by all kfree'ers: .*" && break
done
dmesg | grep -q "Total time taken by all kfree'ers" || fail "kfree_rcu has not ended"
rmmod rcuscale && rmmod torture
