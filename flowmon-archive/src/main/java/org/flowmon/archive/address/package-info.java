/** Sorted addresses: searching them, and merging several. */
package org.flowmon.archive.address;
