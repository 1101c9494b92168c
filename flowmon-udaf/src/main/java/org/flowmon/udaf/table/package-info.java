/** Tables of groups on both levels, and the bytes between them. */
package org.flowmon.udaf.table;
