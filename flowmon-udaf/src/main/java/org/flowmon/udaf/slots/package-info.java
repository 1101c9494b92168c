/** SLOTS: in which slots of an axis a group has values. */
@NullMarked
package org.flowmon.udaf.slots;

import org.jspecify.annotations.NullMarked;
