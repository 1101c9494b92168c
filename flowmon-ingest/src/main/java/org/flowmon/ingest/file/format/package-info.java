/**
 * Which format a file has, told by its content, plain or compressed; which column a name in it
 * stands for; and why a line is rejected.
 */
package org.flowmon.ingest.file.format;
