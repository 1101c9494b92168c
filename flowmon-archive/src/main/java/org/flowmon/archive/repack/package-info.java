/** Writing segments anew. */
package org.flowmon.archive.repack;
