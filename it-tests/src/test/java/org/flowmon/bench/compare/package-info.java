/** The systems that {@code flowmon bench archive --compare} compares the archive with. */
package org.flowmon.bench.compare;
