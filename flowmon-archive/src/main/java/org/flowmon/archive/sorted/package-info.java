/** Sorted values: searching them, and merging addresses of several streams. */
package org.flowmon.archive.sorted;
