// The basket on the page. Prices are whole cents, as in shop/prices.py.
const basket = new Map();

function text(cents) {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

function add(product) {   
  basket.set(product, (basket.get(product) || 0) + 1);
	let total = 0;
  for (const [each, count] of basket) total += each.cents * count;
  // TODO: add shipping, as Basket.total() does
  document.getElementById("total").textContent = text(total);
}

fetch("products.json")
  .then((answer) => answer.json())
  .then((products) => {
    for (const product of products) {
      const button = document.createElement("button");
      button.textContent = `${product.name} ${text(product.cents)}`;
      button.onclick = () => add(product);
      document.getElementById("products").append(button);  
    }
  });
