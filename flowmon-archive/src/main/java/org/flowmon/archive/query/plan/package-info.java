/**
 * What a query reads and by which way: archives, segments and their order, rows within its times,
 * groups, and whether sums or numbers may stand for rows or addresses.
 */
package org.flowmon.archive.query.plan;
